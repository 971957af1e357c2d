/** What durable storage contains, and which objects nothing needs. */
@NullMarked
package io.uniserve.protocol.backup.inventory;

import org.jspecify.annotations.NullMarked;
