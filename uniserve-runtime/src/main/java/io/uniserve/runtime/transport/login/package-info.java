/** Login with user and password: both sides of SCRAM-SHA-256, and the tokens of a process. */
@NullMarked
package io.uniserve.runtime.transport.login;

import org.jspecify.annotations.NullMarked;
