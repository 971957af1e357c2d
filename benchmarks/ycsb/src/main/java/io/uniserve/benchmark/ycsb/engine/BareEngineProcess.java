package io.uniserve.benchmark.ycsb.engine;

import io.uniserve.benchmark.floor.BareEngine;
import io.uniserve.benchmark.floor.BareEngineService;
import io.uniserve.testkit.process.ParentProcessWatcher;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Process of one bare engine. */
public final class BareEngineProcess {
    private static final int READERS_MIN = 4;

    private BareEngineProcess() {}

    /** Arguments: the name of the port whose peer this is, a directory that does not exist yet, and the number of fields. */
    public static void main(String[] arguments) throws Exception {
        ParentProcessWatcher.start();
        Path directory = Files.createDirectories(Path.of(arguments[1]));
        BareEngine engine = engine(arguments[0], directory, Integer.parseInt(arguments[2]));
        int readers = Math.max(READERS_MIN, Runtime.getRuntime().availableProcessors());
        BareEngineService.serve(engine, directory.resolve("bare.log"), readers);
    }

    /** Opens the peer of a port. */
    static BareEngine engine(String port, Path directory, int fields) throws Exception {
        return switch (port) {
            case "kv" -> new SkipListEngine();
            case "mongodb" -> new MongoJavaServerEngine();
            case "duckdb" -> new DuckDbEngine(directory, columns(fields));
            case "lucene" -> new LuceneIndexEngine(directory);
            default ->
                throw new IllegalArgumentException(
                        "no bare engine for port " + port + ": use kv, mongodb, duckdb or lucene");
        };
    }

    /** Columns of YCSB's rows. */
    static List<String> columns(int fields) {
        List<String> columns = new ArrayList<>(List.of("ycsb_key"));
        for (int i = 0; i < fields; i++) {
            columns.add("field" + i);
        }
        return columns;
    }
}
