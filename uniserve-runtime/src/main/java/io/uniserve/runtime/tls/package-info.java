/** TLS from files: what a server shows and trusts, what a client shows and trusts. */
@NullMarked
package io.uniserve.runtime.tls;

import org.jspecify.annotations.NullMarked;
