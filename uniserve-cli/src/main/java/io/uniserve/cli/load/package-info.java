/** Loading of rows from files: JSON lines, CSV, bars, text, and Solr's JSON and XML updates. */
@NullMarked
package io.uniserve.cli.load;

import org.jspecify.annotations.NullMarked;
