/**
 * The port test kit: every port extends {@link io.uniserve.testkit.tck.PortTck} with a {@link
 * io.uniserve.testkit.tck.PortFixture} of its own and so runs the contract of {@code io.uniserve.api} against its engine.
 */
@NullMarked
package io.uniserve.testkit.tck;

import org.jspecify.annotations.NullMarked;
