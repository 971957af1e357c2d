package io.uniserve.runtime.port;

import io.uniserve.api.Engine;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Loader of ports from directories of jars, each with its own class loader. Each directory is loaded once per process. Thread-safe.
 */
public final class PortLoader {
    private static final Logger LOG = LoggerFactory.getLogger(PortLoader.class);
    private static final String JAR = ".jar";

    /** Ports of this process by the directory of their jars. Engines have static state, so a second copy must not be loaded. */
    private static final Map<Path, LoadedPort> LOADED = new HashMap<>();

    private PortLoader() {}

    /**
     * Loads a port; returns the loaded one if there is one.
     *
     * @param folder the port's directory, with its jars in {@code lib} or directly in it
     * @param name name of the port, which must also be the engine's name
     * @throws UniserveException UNKNOWN_PORT if there is no such directory or no jar; PORT_FAILED if the jars do not have exactly
     *     one engine, or it cannot be created; PORT_PROTOCOL if the engine has another name
     */
    public static LoadedPort load(Path folder, String name) {
        Path lib = Files.isDirectory(folder.resolve("lib")) ? folder.resolve("lib") : folder;
        if (!Files.isDirectory(lib)) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_PORT,
                    "port " + name + " has no folder " + folder + "; install it there, or correct the list of ports");
        }
        try {
            Path real = lib.toRealPath();
            synchronized (LOADED) {
                LoadedPort known = LOADED.get(real);
                if (known == null) {
                    known = load(real, jars(real, name), name);
                    LOADED.put(real, known);
                }
                checkName(known, name, real);
                return known;
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.PORT_FAILED, "port " + name + ": cannot read " + lib + ": " + e, e);
        }
    }

    private static List<URL> jars(Path lib, String name) throws IOException {
        List<URL> jars = new ArrayList<>();
        try (Stream<Path> files = Files.list(lib)) {
            for (Path jar : (Iterable<Path>)
                    files.filter(file -> file.toString().endsWith(JAR)).sorted()::iterator) {
                jars.add(jar.toUri().toURL());
            }
        }
        if (jars.isEmpty()) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_PORT,
                    "port " + name + ": there is no jar in " + lib + "; install the port there");
        }
        return jars;
    }

    private static LoadedPort load(Path lib, List<URL> jars, String name) throws IOException {
        PortClassLoader loader =
                new PortClassLoader(name, jars, new PortApiClassLoader(PortLoader.class.getClassLoader()));
        boolean loaded = false;
        try {
            LoadedPort port = new LoadedPort(engine(loader, lib, name), loader, PortBuildId.of(jars));
            checkName(port, name, lib);
            LOG.info("port {} loaded from {} jars in {}, build {}", name, jars.size(), lib, port.build());
            loaded = true;
            return port;
        } finally {
            if (!loaded) {
                loader.close();
            }
        }
    }

    private static Engine engine(ClassLoader loader, Path lib, String name) {
        Thread thread = Thread.currentThread();
        ClassLoader before = thread.getContextClassLoader();
        thread.setContextClassLoader(loader);
        try {
            List<Engine> engines = new ArrayList<>();
            ServiceLoader.load(Engine.class, loader).forEach(engines::add);
            if (engines.size() != 1) {
                throw failed(
                        name,
                        lib,
                        engines.isEmpty()
                                ? "no jar names an engine in META-INF/services/" + Engine.class.getName()
                                : "more than one engine: "
                                        + engines.stream()
                                                .map(engine -> engine.getClass().getName())
                                                .toList(),
                        null);
            }
            return engines.get(0);
        } catch (ServiceConfigurationError | LinkageError e) {
            throw failed(name, lib, "the engine cannot be made: " + rootCause(e), e);
        } finally {
            thread.setContextClassLoader(before);
        }
    }

    private static void checkName(LoadedPort port, String name, Path lib) {
        String own;
        try {
            own = port.call(() -> port.engine().info().name());
        } catch (RuntimeException | LinkageError | StackOverflowError | AssertionError e) {
            throw failed(name, lib, "its engine failed to return its name: " + rootCause(e), e);
        }
        if (!name.equals(own)) {
            throw new UniserveException(
                    ErrorCode.PORT_PROTOCOL,
                    "port " + name + ": the engine in " + lib + " calls itself \"" + own
                            + "\"; use that name for the folder and in the list of ports");
        }
    }

    private static UniserveException failed(String name, Path lib, String why, @Nullable Throwable cause) {
        return new UniserveException(ErrorCode.PORT_FAILED, "port " + name + " in " + lib + ": " + why, cause);
    }

    private static Throwable rootCause(Throwable error) {
        Throwable at = error;
        for (int depth = 0; depth < 16 && at.getCause() != null; depth++) {
            at = at.getCause();
        }
        return at;
    }
}
