/** {@code uniserve table}: create, list, describe and drop tables. */
@NullMarked
package io.uniserve.cli.table;

import org.jspecify.annotations.NullMarked;
