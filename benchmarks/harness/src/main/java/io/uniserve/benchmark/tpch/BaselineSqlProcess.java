package io.uniserve.benchmark.tpch;

import io.uniserve.benchmark.peer.BaselineSqlClient;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.testkit.process.DaemonProcess;
import io.uniserve.testkit.process.JavaLauncher;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Engine that Uniserve is compared with: its process, and the connection to it. Not thread-safe. */
public final class BaselineSqlProcess implements AutoCloseable {
    /** Command that installs Spark at the expected place. */
    static final String SPARK_BUILD = "./mvnw -B -Pspark -pl :uniserve-peer-spark -am -DskipTests package";

    private static final long START_TIMEOUT_MS = 180_000;

    /** Options that Spark's own launcher sets on Java 17. */
    private static final List<String> SPARK_OPENS = List.of(
            "java.base/java.lang",
            "java.base/java.lang.invoke",
            "java.base/java.lang.reflect",
            "java.base/java.io",
            "java.base/java.net",
            "java.base/java.nio",
            "java.base/java.util",
            "java.base/java.util.concurrent",
            "java.base/java.util.concurrent.atomic",
            "java.base/jdk.internal.ref",
            "java.base/sun.nio.ch",
            "java.base/sun.nio.cs",
            "java.base/sun.security.action",
            "java.base/sun.util.calendar");

    private final String side;
    private final DaemonProcess process;
    private final BaselineSqlClient client;
    private final String name;

    private BaselineSqlProcess(String side, DaemonProcess process) {
        this.side = side;
        this.process = process;
        try {
            Address address = process.awaitReady(START_TIMEOUT_MS);
            client = new BaselineSqlClient(address.host(), address.port());
            name = client.name();
        } catch (IOException e) {
            process.close();
            throw new UniserveException(ErrorCode.UNAVAILABLE, "cannot reach " + side, e);
        } catch (UniserveException e) {
            process.close();
            throw e;
        }
    }

    /** Starts one DuckDB with the port's driver. */
    public static BaselineSqlProcess bare(Path directory, String heap, int cores) {
        JavaLauncher java = JavaLauncher.ofThisProcess();
        String path = java.classPath()
                + File.pathSeparator
                + java.home().resolve("ports").resolve("duckdb").resolve("lib").resolve("*");
        List<String> command = new ArrayList<>(List.of(java.java().toString(), heap));
        command.addAll(java.flags());
        command.addAll(List.of("-cp", path, StandaloneDuckDb.class.getName()));
        command.addAll(List.of(directory.resolve("bare.duckdb").toString(), Integer.toString(cores)));
        return new BaselineSqlProcess("bare", DaemonProcess.start("bare", command, directory.resolve("bare.log")));
    }

    /** Starts Spark SQL with its tables {@code cached} or {@code parquet}. */
    static BaselineSqlProcess spark(Path directory, String heap, int cores, String tables) {
        JavaLauncher java = JavaLauncher.ofThisProcess();
        Path jars = sparkFolder();
        String name = "spark-" + tables;
        List<String> command = new ArrayList<>(List.of(java.java().toString(), heap, "-Dfile.encoding=UTF-8"));
        SPARK_OPENS.forEach(opened -> command.add("--add-opens=" + opened + "=ALL-UNNAMED"));
        command.add("-Djdk.reflect.useDirectMethodHandle=false");
        command.addAll(List.of("-cp", jars.resolve("*").toString(), "io.uniserve.benchmark.spark.SparkNode"));
        command.addAll(
                List.of(tables, Integer.toString(cores), directory.resolve(name).toString()));
        return new BaselineSqlProcess(name, DaemonProcess.start(name, command, directory.resolve(name + ".log")));
    }

    /** Returns the directory of Spark's jars. Fails with INVALID_CONFIGURATION, with the command that installs them, if there are none. */
    static Path sparkFolder() {
        Path folder = JavaLauncher.ofThisProcess()
                .home()
                .resolve("peers")
                .resolve("spark")
                .resolve("lib");
        if (Files.isDirectory(folder)) {
            try (Stream<Path> files = Files.list(folder)) {
                if (files.anyMatch(file -> file.getFileName().toString().startsWith("uniserve-peer-spark"))) {
                    return folder;
                }
            } catch (IOException e) {
                throw new UniserveException(ErrorCode.IO, "cannot list " + folder, e);
            }
        }
        throw new UniserveException(
                ErrorCode.INVALID_CONFIGURATION,
                "Spark is not in " + folder
                        + ": it is 300 MB and not part of the distribution. In the source tree run: " + SPARK_BUILD);
    }

    /** Returns the name in figures and raw output: bare, spark-cached, spark-parquet. */
    String side() {
        return side;
    }

    /** Returns the engine's own name. */
    String name() {
        return name;
    }

    long pid() {
        return process.pid();
    }

    public void load(TpchDataGenerator data, List<TpchDataGenerator.Table> tables) {
        tables.forEach(table -> call(() -> {
            client.load(table.name(), table.columns(), data.file(table).toString());
            return table;
        }));
    }

    public List<List<@Nullable String>> query(TpchQuery query) {
        return call(() -> client.query(query.sql()));
    }

    private <T> T call(java.util.function.Supplier<T> work) {
        try {
            return work.get();
        } catch (RuntimeException e) {
            throw new UniserveException(ErrorCode.INTERNAL, name + ": " + e.getMessage() + "\n" + process.tail(), e);
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
        process.close();
    }
}
