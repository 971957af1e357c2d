/** Worker threads of reads: fair shares per table and client, cancellation and the list of running queries. */
@NullMarked
package io.uniserve.server.read.worker;

import org.jspecify.annotations.NullMarked;
