package io.uniserve.runtime.port;

import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** Jar that a test compiles from source text. */
final class TestJar {
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, String> resources = new LinkedHashMap<>();

    TestJar source(String className, String text) {
        sources.put(className, text);
        return this;
    }

    TestJar resource(String path, String text) {
        resources.put(path, text);
        return this;
    }

    /** Declares the engines as services. */
    TestJar engines(String... classNames) {
        return resource("META-INF/services/io.uniserve.api.Engine", String.join("\n", classNames));
    }

    /** Adds an engine of this class and name, with other methods from {@code body}. */
    TestJar engine(String className, String name, String body) {
        return source(className, """
                public class %s implements io.uniserve.api.Engine {
                    public io.uniserve.model.PortInfo info() {
                        return new io.uniserve.model.PortInfo(
                                "%s", "1", java.util.Set.of(), java.util.List.of(), java.util.List.of());
                    }
                    public io.uniserve.api.EngineInstance open(io.uniserve.api.EngineContext context) {
                        throw new UnsupportedOperationException();
                    }
                    %s
                }
                """.formatted(className, name, body));
    }

    /** Compiles into {@code jar}, without the classes {@code drop}. */
    void write(Path jar, Path work, String... drop) throws IOException {
        Path classes = Files.createDirectories(work.resolve("classes-" + jar.getFileName()));
        compile(work, classes);
        for (String name : drop) {
            Files.delete(classes.resolve(name + ".class"));
        }
        Files.createDirectories(jar.toAbsolutePath().getParent());
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                Stream<Path> files = Files.walk(classes)) {
            for (Path file : (Iterable<Path>) files.filter(Files::isRegularFile)::iterator) {
                entries.putNextEntry(new JarEntry(classes.relativize(file).toString()));
                entries.write(Files.readAllBytes(file));
            }
            for (Map.Entry<String, String> resource : resources.entrySet()) {
                entries.putNextEntry(new JarEntry(resource.getKey()));
                entries.write(resource.getValue().getBytes(StandardCharsets.UTF_8));
            }
        }
    }

    private void compile(Path work, Path classes) throws IOException {
        if (sources.isEmpty()) {
            return;
        }
        List<String> arguments = new ArrayList<>(List.of("-proc:none", "-nowarn", "-d", classes.toString(), "-cp"));
        arguments.add(System.getProperty("java.class.path"));
        for (Map.Entry<String, String> source : sources.entrySet()) {
            Path file = work.resolve("src").resolve(source.getKey().replace('.', '/') + ".java");
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
            arguments.add(file.toString());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter output = new StringWriter();
        List<String> files = arguments.stream().filter(a -> a.endsWith(".java")).toList();
        List<String> options =
                arguments.stream().filter(a -> !a.endsWith(".java")).toList();
        try (var manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
            Boolean compiled = compiler.getTask(
                            output, manager, null, options, null, manager.getJavaFileObjectsFromStrings(files))
                    .call();
            if (!compiled) {
                throw new IOException(output.toString());
            }
        }
    }
}
