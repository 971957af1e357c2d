/** TLS configuration from files: keys, certificates and authorities of servers and clients. */
@NullMarked
package io.uniserve.runtime.tls;

import org.jspecify.annotations.NullMarked;
