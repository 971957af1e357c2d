package io.uniserve.runtime.optional;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Finds services on the class path, and then in the jars of {@code aws/lib} of the distribution. These jars are loaded only by a process that
 * asks for a service in them, by a class loader of their own.
 */
public final class OptionalJars {
    private static final String HOME = "uniserve.home";

    private OptionalJars() {}

    /** The first service of the kind for which the condition holds. */
    public static <T> Optional<T> find(Class<T> kind, Predicate<T> condition) {
        ClassLoader own = OptionalJars.class.getClassLoader();
        return find(kind, condition, own).or(() -> jars(own).flatMap(loader -> find(kind, condition, loader)));
    }

    private static <T> Optional<T> find(Class<T> kind, Predicate<T> condition, ClassLoader loader) {
        try {
            return ServiceLoader.load(kind, loader).stream()
                    .map(ServiceLoader.Provider::get)
                    .filter(condition)
                    .findFirst();
        } catch (ServiceConfigurationError | NoClassDefFoundError e) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    "the jars in aws/lib of this installation do not fit together (" + e
                            + "): install the release again",
                    e);
        }
    }

    /** Folder of the jars, for messages. */
    public static String folder() {
        String home = System.getProperty(HOME, "");
        return home.isEmpty() ? "aws/lib of the installation, which the uniserve script sets" : home + "/aws/lib";
    }

    private static Optional<ClassLoader> jars(ClassLoader parent) {
        String home = System.getProperty(HOME, "");
        Path folder = Path.of(home, "aws", "lib");
        if (home.isEmpty() || !Files.isDirectory(folder)) {
            return Optional.empty();
        }
        try (Stream<Path> files = Files.list(folder)) {
            List<Path> jars = files.filter(file -> file.toString().endsWith(".jar"))
                    .sorted()
                    .toList();
            URL[] urls = new URL[jars.size()];
            for (int i = 0; i < urls.length; i++) {
                urls[i] = url(jars.get(i));
            }
            return Optional.of(new URLClassLoader("uniserve-aws", urls, parent));
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, "cannot list " + folder + ": " + e, e);
        }
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException("a file has a URL", e);
        }
    }
}
