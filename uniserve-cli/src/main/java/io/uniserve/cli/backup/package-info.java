/** {@code uniserve backup} and {@code uniserve restore}: named backups of tables in durable storage. */
@NullMarked
package io.uniserve.cli.backup;

import org.jspecify.annotations.NullMarked;
