package io.uniserve.api;

import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;

/** Files of {@link Actor#writeTo} and {@link ActorFactory#restore}, for engines that never change a file once written. */
public final class ActorFiles {
    private ActorFiles() {}

    /**
     * Links the named files into an existing directory; copies those that cannot be linked, as across file systems.
     *
     * @return the directory
     */
    public static Path link(Path from, Collection<String> names, Path to) throws IOException {
        for (String name : names) {
            try {
                Files.createLink(to.resolve(name), from.resolve(name));
            } catch (FileSystemException | UnsupportedOperationException e) {
                Files.copy(from.resolve(name), to.resolve(name));
            }
        }
        return to;
    }
}
