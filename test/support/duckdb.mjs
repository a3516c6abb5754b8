// Prints the rows of each SQL statement as JSON, a line each: node duckdb.mjs SQL [SQL …]
import { DuckDBInstance } from '@duckdb/node-api';

const instance = await DuckDBInstance.create(':memory:', { autoinstall_known_extensions: 'false' });
const connection = await instance.connect();
for (const sql of process.argv.slice(2)) {
  const reader = await connection.runAndReadAll(sql);
  console.log(JSON.stringify(reader.getRowObjectsJson()));
}
