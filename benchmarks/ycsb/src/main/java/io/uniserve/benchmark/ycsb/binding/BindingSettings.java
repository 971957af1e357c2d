package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.model.ConsistencyLevel;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Properties;
import site.ycsb.DBException;

/**
 * Properties {@code uniserve.*} of a YCSB run.
 *
 * @param engine port of a table that does not exist yet; empty if it must exist
 * @param ranges true: rows have numbers as keys, and each actor has a range of them
 * @param batch rows per insert of the load phase
 */
record BindingSettings(
        String[] bootstrap,
        String table,
        String engine,
        int actors,
        int replicas,
        ConsistencyLevel level,
        boolean ranges,
        int batch,
        Duration deadline,
        int fieldCount,
        long records) {
    static final String BOOTSTRAP = "uniserve.bootstrap";
    static final String ENGINE = "uniserve.engine";
    /** Ports that the binding can use. */
    static final List<String> ENGINES = List.of("kv", "mongodb", "duckdb", "lucene");

    private static final String PARTITION = "uniserve.partition";
    private static final String LEVEL = "uniserve.level";

    /** Fails with the name of the wrong property and its remedy. */
    static BindingSettings of(Properties properties) throws DBException {
        String bootstrap = properties.getProperty(BOOTSTRAP, "").strip();
        if (bootstrap.isEmpty()) {
            throw new DBException("property " + BOOTSTRAP + " is missing: give the address of a server, as in -p "
                    + BOOTSTRAP + "=127.0.0.1:7071");
        }
        String engine = properties.getProperty(ENGINE, "");
        if (!engine.isEmpty() && !ENGINES.contains(engine)) {
            throw new DBException(
                    "property " + ENGINE + " is " + engine + ": use one of " + String.join(", ", ENGINES));
        }
        String partition = properties.getProperty(PARTITION, "hash");
        if (!List.of("hash", "range").contains(partition)) {
            throw new DBException("property " + PARTITION + " is " + partition + ": use hash or range");
        }
        boolean ranges = partition.equals("range");
        if (ranges && !properties.getProperty("insertorder", "hashed").equals("ordered")) {
            throw new DBException("property " + PARTITION + " is range: it needs insertorder=ordered");
        }
        return new BindingSettings(
                bootstrap.split(",", -1),
                properties.getProperty("table", "usertable"),
                engine,
                number(properties, "uniserve.actors", 8, 1_024),
                number(properties, "uniserve.replicas", 1, 64),
                level(properties.getProperty(LEVEL, "eventual")),
                ranges,
                number(properties, "uniserve.batch", 1, 100_000),
                Duration.ofMillis(number(properties, "uniserve.deadline-ms", 30_000, 3_600_000)),
                number(properties, "fieldcount", 10, 1_000),
                number(properties, "recordcount", 1_000, Integer.MAX_VALUE));
    }

    private static ConsistencyLevel level(String name) throws DBException {
        try {
            return ConsistencyLevel.valueOf(name.toUpperCase(Locale.ROOT).replace('-', '_'));
        } catch (IllegalArgumentException e) {
            throw new DBException(
                    "property " + LEVEL + " is " + name + ": use one of "
                            + Arrays.toString(ConsistencyLevel.values()).toLowerCase(Locale.ROOT),
                    e);
        }
    }

    /** Checks the numbers that both bindings use. */
    static void checkNumbers(Properties properties) throws DBException {
        number(properties, "uniserve.batch", 1, 100_000);
        number(properties, "fieldcount", 10, 1_000);
        number(properties, "recordcount", 1_000, Integer.MAX_VALUE);
        number(properties, "threadcount", 1, 100_000);
        number(properties, "uniserve.warm-up", 0, Integer.MAX_VALUE);
    }

    private static int number(Properties properties, String name, int otherwise, int max) throws DBException {
        String value = properties.getProperty(name, Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(value);
            if (number >= Math.min(1, otherwise) && number <= max) {
                return number;
            }
        } catch (NumberFormatException e) {
            throw new DBException("property " + name + " is " + value + ": use a whole number, 1 to " + max, e);
        }
        throw new DBException("property " + name + " is " + value + ": use 1 to " + max);
    }
}
