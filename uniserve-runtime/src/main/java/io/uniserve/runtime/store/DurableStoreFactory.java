package io.uniserve.runtime.store;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.nio.file.Path;

/** Factory of durable storage by its location in the configuration. */
public final class DurableStoreFactory {
    private static final String FILE = "file:";

    private DurableStoreFactory() {}

    /**
     * Opens {@code file:/path} or a plain path.
     *
     * @throws UniserveException INVALID_CONFIGURATION for a location of an unknown kind or one that cannot be written
     */
    public static DurableStore open(String location) {
        if (location.startsWith(FILE)) {
            return LocalObjectStore.open(Path.of(location.substring(FILE.length())));
        }
        if (location.isBlank() || location.matches("[a-z][a-z0-9+.-]+:.*")) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "durable store \"" + location + "\" is of an unknown kind; use file:/path to a directory that all"
                            + " servers share");
        }
        return LocalObjectStore.open(Path.of(location));
    }
}
