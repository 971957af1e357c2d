/** Tools for tests: simulator, in-process cluster, port test kit. */
@NullMarked
package io.uniserve.testkit;

import org.jspecify.annotations.NullMarked;
