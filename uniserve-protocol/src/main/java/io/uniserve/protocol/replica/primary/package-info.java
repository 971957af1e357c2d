/** The primary of an epoch: updates, transactions and rejections (docs/protocol.md, sections 2 and 3). */
@NullMarked
package io.uniserve.protocol.replica.primary;

import org.jspecify.annotations.NullMarked;
