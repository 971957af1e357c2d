/** The demonstration: a cluster of real processes that loses a server under load and still answers right. */
@NullMarked
package io.uniserve.cli.demo;

import org.jspecify.annotations.NullMarked;
