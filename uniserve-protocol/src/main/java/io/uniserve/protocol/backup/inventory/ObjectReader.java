package io.uniserve.protocol.backup.inventory;

import io.uniserve.codec.Bytes;
import io.uniserve.error.UniserveException;

/** Reads objects of durable storage. Calls block. */
@FunctionalInterface
public interface ObjectReader {
    /**
     * Returns the object.
     *
     * @throws UniserveException if it is absent, damaged, or storage does not answer
     */
    Bytes get(String key);
}
