/** The primary of an epoch: updates, transactions and rejections (docs/protocol.md, sections 1 and 3). */
@NullMarked
package io.uniserve.protocol.replica.primary;

import org.jspecify.annotations.NullMarked;
