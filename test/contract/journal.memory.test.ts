/** The contracts of the store, over its memory driver. */
import { grantContract } from "./grants.ts"
import { journalContract } from "./journal.ts"
import { journalModelContract } from "./journalModel.ts"
import { sessionIndexContract } from "./sessionIndex.ts"
import { tenantContract } from "./tenants.ts"
import { loginContract } from "./logins.ts"
import { tokenContract } from "./tokens.ts"
import { layerMemory } from "../../src/store/memory/MemoryStore.ts"

journalContract("memory", layerMemory)
journalModelContract("memory", layerMemory, 300)
sessionIndexContract("memory", layerMemory)
tenantContract("memory", layerMemory)
tokenContract("memory", layerMemory)
loginContract("memory", layerMemory)
grantContract("memory", layerMemory)
