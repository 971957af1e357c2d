package io.uniserve.benchmark.hotspot;

import io.uniserve.benchmark.balance.HotWorkload;
import io.uniserve.benchmark.druid.HotMonthWorkload;
import io.uniserve.cli.command.Console;
import io.uniserve.error.UniserveException;
import io.uniserve.testkit.process.ProcessClusterOptions;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.LongSupplier;

/** Port as {@code bench hotspot} measures it, with its default sizes. */
enum HotspotPort {
    KV(8_000),
    SOLR(8_000),
    DRUID(0),
    MONGODB(800);

    /** Actors of a table with hashed keys. A table of port druid has one per month. */
    static final int ACTORS = 8;

    private final int rows;

    HotspotPort(int rows) {
        this.rows = rows;
    }

    /** Name of the port in table definitions. */
    String port() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Creates the workload with its rows. */
    HotWorkload workload(Path directory, HotspotSettings settings, Console console, LongSupplier nanos) {
        int count = settings.rows() > 0 ? settings.rows() : rows;
        return switch (this) {
            case KV -> new KvHotWorkload(ACTORS, count);
            case SOLR -> new SolrHotWorkload(ACTORS, count);
            case MONGODB -> new MongoHotWorkload(ACTORS, count);
            case DRUID -> new HotMonthWorkload(directory.resolve("lineitem"), settings.scale(), console, nanos);
        };
    }

    /** Returns the options of a cluster with the port. */
    ProcessClusterOptions cluster(Path directory, int servers, String heap) {
        return this == DRUID
                ? HotMonthWorkload.options(directory, servers, heap)
                : ProcessClusterOptions.of(directory, servers, port()).withHeap(heap);
    }

    /** Returns the port with this name. Fails with a message for the option otherwise. */
    static HotspotPort named(String name) {
        for (HotspotPort port : values()) {
            if (port.port().equals(name)) {
                return port;
            }
        }
        throw UniserveException.invalid("--ports has \"" + name + "\": use "
                + String.join(
                        ", ", List.of(values()).stream().map(HotspotPort::port).toList()));
    }
}
