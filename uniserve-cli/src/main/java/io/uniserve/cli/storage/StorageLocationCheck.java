package io.uniserve.cli.storage;

import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStoreFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/** Check of locations before commands that only read open them. */
final class StorageLocationCheck {
    private StorageLocationCheck() {}

    /**
     * Checks that a directory is a store, because opening another one would make it one.
     *
     * @throws UniserveException INVALID_ARGUMENT if it is none
     */
    static void checkLocation(String location) {
        if (!DurableStoreFactory.isDirectory(location)) {
            return;
        }
        Path directory = DurableStoreFactory.directory(location);
        if (!Files.isDirectory(directory.resolve("owner"))) {
            throw UniserveException.invalid(
                    "\"" + directory + "\" is no durable storage: it has no folder owner, which the first server makes;"
                            + " use the servers' setting storage.location");
        }
    }
}
