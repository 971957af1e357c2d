/** Twin of the network, with requests that are lost, late or handled twice, and answers that are lost. */
@NullMarked
package io.uniserve.simulator.network;

import org.jspecify.annotations.NullMarked;
