/** State of a replica that log entries determine: versions, requests and rejections. */
@NullMarked
package io.uniserve.protocol.replica.state;

import org.jspecify.annotations.NullMarked;
