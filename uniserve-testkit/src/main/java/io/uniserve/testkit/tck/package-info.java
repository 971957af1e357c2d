/**
 * Test kit for ports. Every port extends {@link io.uniserve.testkit.tck.PortTck} with its own {@link io.uniserve.testkit.tck.PortFixture},
 * which tests the contract of {@code io.uniserve.api} against its engine.
 */
@NullMarked
package io.uniserve.testkit.tck;

import org.jspecify.annotations.NullMarked;
