/** What a subagent did, told from what its session did. Pure. Apart from the events' schemas, which a page need not load. */
export const isNested = (event: object): boolean => "parent_call_id" in event && event.parent_call_id !== undefined
