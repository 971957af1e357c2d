/** Client state machines of queries: targets, hedging, retries and the merge of replies (docs/protocol.md, section 4). */
@NullMarked
package io.uniserve.protocol.client.query;

import org.jspecify.annotations.NullMarked;
