/** A table of Solr: its options and configset, and checks of its rows. */
@NullMarked
package io.uniserve.port.solr.table;

import org.jspecify.annotations.NullMarked;
