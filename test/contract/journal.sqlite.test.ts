/** The contracts of the store, over its SQLite driver. */
import { grantContract } from "./grants.ts"
import { journalContract } from "./journal.ts"
import { journalModelContract } from "./journalModel.ts"
import { sessionIndexContract } from "./sessionIndex.ts"
import { tenantContract } from "./tenants.ts"
import { loginContract } from "./logins.ts"
import { tokenContract } from "./tokens.ts"
import { layerTempSqlite } from "../support/tempStore.ts"

journalContract("SQLite", layerTempSqlite)
journalModelContract("SQLite", layerTempSqlite, 60)
sessionIndexContract("SQLite", layerTempSqlite)
tenantContract("SQLite", layerTempSqlite)
tokenContract("SQLite", layerTempSqlite)
loginContract("SQLite", layerTempSqlite)
grantContract("SQLite", layerTempSqlite)
