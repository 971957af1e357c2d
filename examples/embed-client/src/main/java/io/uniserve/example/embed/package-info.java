/** Example of an application that embeds the client: it creates a table, writes documents, reads them and drops the table. */
package io.uniserve.example.embed;
