/** The disk's twin: what was not synced is lost or torn at a crash, and any operation may fail. Object storage beside it. */
@NullMarked
package io.uniserve.testkit.simulation.disk;

import org.jspecify.annotations.NullMarked;
