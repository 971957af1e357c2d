package io.uniserve.cli.place;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The solver of the distribution: a folder of jars beside its libraries, so that daemons and clients do not carry it. Commands
 * that place see it from here on; where there is none, policy 'milp' says what is missing.
 */
final class SolverFolder {
    private static final String HOME = "uniserve.home";

    private SolverFolder() {}

    /** Shows the solver's classes to policies made by this thread. */
    static void use() {
        String home = System.getProperty(HOME, "");
        Path folder = Path.of(home, "solver", "lib");
        if (home.isEmpty() || !Files.isDirectory(folder)) {
            return;
        }
        List<URL> jars = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path jar :
                    files.filter(f -> f.toString().endsWith(".jar")).sorted().toList()) {
                jars.add(jar.toUri().toURL());
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot list " + folder + ": " + e, e);
        }
        Thread thread = Thread.currentThread();
        thread.setContextClassLoader(new URLClassLoader(jars.toArray(URL[]::new), thread.getContextClassLoader()));
    }
}
