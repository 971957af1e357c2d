package io.uniserve.protocol.coordinator.table;

import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.PortInfo;
import io.uniserve.model.registry.ReservedTableOptions;
import io.uniserve.model.registry.ServerRecord;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.protocol.coordinator.metadata.ClusterView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Validation of a new table's definition. The types check names and numbers of actors already. */
public final class TableValidator {
    private TableValidator() {}

    /** Rejects a definition that no cluster of this version can serve. */
    public static void check(TableMeta meta, Set<ConsistencyLevel> levels) {
        range("rf", meta.rf(), Limits.REPLICATION_FACTOR_MAX);
        range("minIsr", meta.minIsr(), meta.rf());
        if (meta.partitioner() instanceof Partitioner.Time time) {
            checkTime(meta, time);
        } else {
            range("actors", meta.partitioner().actors(), Limits.ACTORS_PER_TABLE_MAX);
        }
        name("keyField", meta.keyField());
        name("port", meta.port());
        if (meta.onLoss() == OnLoss.RESTORE_TABLE && meta.level() == ConsistencyLevel.EVENTUAL) {
            throw UniserveException.invalid(
                    "onLoss RESTORE_TABLE needs a serializable table: use WAIT or RESTORE_ACTOR for an EVENTUAL one");
        }
        if (!levels.contains(meta.level())) {
            throw new UniserveException(
                    ErrorCode.UNSUPPORTED,
                    "level " + meta.level() + " is not served by this version: create the table with level EVENTUAL");
        }
        if (meta.level() != ConsistencyLevel.EVENTUAL && meta.onLoss() == OnLoss.RESTORE_ACTOR) {
            throw UniserveException.invalid("onLoss " + meta.onLoss()
                    + " is not for a table of level " + meta.level()
                    + ": a single restored actor would break the atomicity of updates: use WAIT or RESTORE_TABLE");
        }
        if (meta.onLoss() == OnLoss.RESTORE_TABLE) {
            String field = meta.partitioner() instanceof Partitioner.Time ? "buckets" : "actors";
            int number = meta.partitioner() instanceof Partitioner.Time time
                    ? time.buckets()
                    : meta.partitioner().actors();
            range(field + " with onLoss RESTORE_TABLE", number, Limits.RESTORE_TABLE_ACTORS_MAX);
        }
        checkOptions(meta.options());
    }

    /** Rejects what tables partitioned by time do not support. */
    private static void checkTime(TableMeta meta, Partitioner.Time time) {
        if (time.column().equals(meta.keyField())) {
            throw UniserveException.invalid(
                    "time column \"" + time.column() + "\" is the key field too: use another column for one of them");
        }
    }

    private static void range(String field, int value, int max) {
        if (value < 1 || value > max) {
            throw UniserveException.invalid(field + " is " + value + ": use 1 to " + max);
        }
    }

    private static void name(String field, String value) {
        boolean printable = value.chars().noneMatch(Character::isISOControl);
        if (value.isBlank() || value.length() > Limits.NAME_LENGTH_MAX || !printable) {
            throw UniserveException.invalid(
                    field + " is empty, too long or not printable: use 1 to " + Limits.NAME_LENGTH_MAX + " characters");
        }
    }

    /** Rejects too many or too large options. */
    static void checkOptions(Map<String, String> options) {
        if (options.size() > Limits.TABLE_OPTIONS_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "table has " + options.size() + " options, at most " + Limits.TABLE_OPTIONS_MAX + " are allowed");
        }
        ReservedTableOptions.check(options);
        long bytes = 0;
        for (Map.Entry<String, String> option : options.entrySet()) {
            name("option name", option.getKey());
            bytes += option.getKey().getBytes(StandardCharsets.UTF_8).length;
            bytes += option.getValue().getBytes(StandardCharsets.UTF_8).length;
        }
        if (bytes > Limits.TABLE_OPTION_BYTES_MAX) {
            throw new UniserveException(
                    ErrorCode.TOO_LARGE,
                    "table options have " + bytes + " bytes, at most " + Limits.TABLE_OPTION_BYTES_MAX
                            + " are allowed");
        }
    }

    /**
     * Rejects a definition that the current live servers cannot serve.
     *
     * @param silent number of registered servers that do not answer pings and may return soon
     */
    public static void check(TableMeta meta, List<ServerRecord> live, int silent) {
        if (meta.rf() > live.size() && meta.rf() <= live.size() + silent) {
            throw new UniserveException(
                    ErrorCode.UNAVAILABLE,
                    "rf is " + meta.rf() + " but " + live.size() + " servers are live and " + silent
                            + " registered ones do not answer: retry later, check those, or use a smaller rf");
        }
        if (meta.rf() > live.size()) {
            throw UniserveException.invalid("rf is " + meta.rf() + " but " + live.size()
                    + " servers are live: start more servers, or use a smaller rf");
        }
        List<ServerRecord> offering = live.stream()
                .filter(s -> ClusterView.offersPort(s, meta.port()))
                .toList();
        if (offering.isEmpty()) {
            throw new UniserveException(
                    ErrorCode.UNKNOWN_PORT,
                    "no live server offers port \"" + meta.port() + "\": the servers offer " + ports(live)
                            + ": start servers with ports = [" + meta.port() + "]");
        }
        if (meta.rf() > offering.size()) {
            throw UniserveException.invalid("rf is " + meta.rf() + " but only " + offering.size()
                    + " live servers offer port \"" + meta.port() + "\": start more of them, or use a smaller rf");
        }
        for (ServerRecord server : offering) {
            for (PortInfo port : server.ports()) {
                if (port.name().equals(meta.port()) && !port.levels().contains(meta.level())) {
                    throw new UniserveException(
                            ErrorCode.UNSUPPORTED,
                            "port \"" + port.name() + "\" on server " + server.id() + " does not support level "
                                    + meta.level() + ": create the table with one of "
                                    + port.levels().stream().sorted().toList() + ", or with a port that offers it");
                }
            }
        }
    }

    private static List<String> ports(List<ServerRecord> live) {
        return live.stream()
                .flatMap(s -> s.ports().stream())
                .map(PortInfo::name)
                .distinct()
                .sorted()
                .toList();
    }
}
