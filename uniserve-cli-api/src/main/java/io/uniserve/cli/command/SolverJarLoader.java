package io.uniserve.cli.command;

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
 * Directory of the solver's jars in the distribution, so that daemons and clients do not load them. Commands for placement add it to the
 * class loader. Without it, policy 'milp' fails with an error that names the missing part.
 */
public final class SolverJarLoader {
    private static final String HOME = "uniserve.home";

    private SolverJarLoader() {}

    /** Makes the solver's classes visible to policies created by this thread. */
    public static void addToClassLoader() {
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
