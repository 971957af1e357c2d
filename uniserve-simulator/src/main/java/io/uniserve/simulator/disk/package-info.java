/** Twins of disk and object storage. A crash loses or tears unsynced data, and any operation may fail. */
@NullMarked
package io.uniserve.simulator.disk;

import org.jspecify.annotations.NullMarked;
