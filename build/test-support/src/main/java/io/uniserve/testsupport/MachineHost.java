package io.uniserve.testsupport;

import java.io.IOException;
import java.util.Map;

/** Machines of the instances of a {@link TestingEc2Server}, which makes one call at a time and waits for its return. */
public interface MachineHost {
    /**
     * Boots a new machine with an empty disk.
     *
     * @param id id of the instance, which the other methods get again
     * @param tags tags of the instance
     */
    void launch(String id, Map<String, String> tags) throws IOException;

    /** Boots a stopped machine again, with its disk. */
    void start(String id) throws IOException;

    /** Cuts the power of a machine; its disk stays. */
    void stop(String id) throws IOException;

    /** Ends a machine for ever. */
    void terminate(String id) throws IOException;
}
