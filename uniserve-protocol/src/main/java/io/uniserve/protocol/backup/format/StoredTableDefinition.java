package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.limit.Limits;
import io.uniserve.model.ConsistencyLevel;
import io.uniserve.model.Durability;
import io.uniserve.model.OnLoss;
import io.uniserve.model.Partitioner;
import io.uniserve.model.TableName;
import io.uniserve.model.registry.TableMeta;
import io.uniserve.model.time.ChunkCalendar;
import io.uniserve.model.time.IsoPeriod;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Definition of a table as an object in durable storage. Its name has table number, order and the SHA-256 of its bytes.
 *
 * <p>When the table is dropped, an object {@link #dropped} is stored before anything is deleted, and stays. A put of a definition may take
 * effect late, even after the deletion. So the definitions of a table with that object do not count, for readers and for the primary
 * that has stored one.
 */
public final class StoredTableDefinition {
    private static final int FORMAT = 2;
    private static final Pattern NAME = Pattern.compile("(\\d{1,19})/\\d{20}-\\d{10}-([0-9a-f]{64})");
    private static final Pattern TABLE = Pattern.compile("(\\d{1,18})/.*");
    private static final String DROPPED = "dropped";

    private StoredTableDefinition() {}

    /** Prefix of the definitions of the cluster's tables. */
    public static String root(String cluster) {
        return "definition/" + cluster + "/";
    }

    public static String prefix(String cluster, long tableId) {
        return root(cluster) + tableId + "/";
    }

    public static String key(String cluster, long tableId, long epoch, int number, String sha256) {
        return prefix(cluster, tableId) + "%020d-%010d-%s".formatted(epoch, number, sha256);
    }

    /** Key of the object that says that the table was dropped. */
    public static String dropped(String cluster, long tableId) {
        return prefix(cluster, tableId) + DROPPED;
    }

    /** The object itself. All servers store the same one. */
    public static Bytes droppedMark() {
        return Bytes.utf8(DROPPED);
    }

    /** The largest table number in keys below this prefix, which ends before the number; 0 if there is none. */
    public static long largestTableId(List<String> keys, String prefix) {
        long largest = 0;
        for (String key : keys) {
            Matcher table = TABLE.matcher(key.startsWith(prefix) ? key.substring(prefix.length()) : "");
            largest = table.matches() ? Math.max(largest, Long.parseLong(table.group(1))) : largest;
        }
        return largest;
    }

    /** The key of the newest definition per number of a table that is not dropped, among all keys under the root. */
    public static Map<Long, String> newest(List<String> keys, String cluster) {
        TreeMap<Long, String> newest = new TreeMap<>();
        TreeSet<String> dropped = new TreeSet<>();
        keys.stream()
                .filter(key -> key.endsWith("/" + DROPPED))
                .forEach(key -> dropped.add(key.substring(0, key.length() - DROPPED.length())));
        for (String key : keys) {
            if (dropped.contains(key.substring(0, key.lastIndexOf('/') + 1))) {
                continue;
            }
            Matcher name = NAME.matcher(
                    key.startsWith(root(cluster)) ? key.substring(root(cluster).length()) : "");
            if (name.matches() && (name.group(1).length() < 19 || name.group(1).compareTo("" + Long.MAX_VALUE) <= 0)) {
                newest.merge(Long.parseLong(name.group(1)), key, (a, b) -> a.compareTo(b) > 0 ? a : b);
            }
        }
        return newest;
    }

    /** Encodes a definition. */
    public static Bytes encode(TableMeta meta) {
        BinaryWriter out = new BinaryWriter();
        out.writeInt(FORMAT);
        write(out, meta);
        return out.toBytes();
    }

    /** True if the object matches the SHA-256 in its name. */
    public static boolean matches(String key, Bytes data) {
        return key.endsWith(Sha256.hex(data));
    }

    /** Decodes a definition whose hash was checked before; CORRUPT for other bytes. */
    public static TableMeta decode(Bytes data) {
        BinaryReader in = new BinaryReader(data);
        int format = in.readInt();
        if (format != FORMAT) {
            throw corrupt("it has format " + format + ", this version reads " + FORMAT);
        }
        TableMeta meta = read(in);
        in.expectEnd();
        return meta;
    }

    /** Writes a definition. */
    public static void write(BinaryWriter out, TableMeta meta) {
        out.writeString(meta.name().value()).writeLong(meta.tableId());
        if (meta.partitioner() instanceof Partitioner.Range range) {
            out.writeByte(1).writeInt(range.bounds().size());
            range.bounds().forEach(out::writeLong);
        } else if (meta.partitioner() instanceof Partitioner.Time time) {
            out.writeByte(2).writeString(time.column());
            out.writeString(time.chunks().period().toString())
                    .writeString(time.chunks().zone().getId());
            out.writeInt(time.buckets())
                    .writeString(time.retention().map(IsoPeriod::toString).orElse(""))
                    .writeString(time.ahead().toString());
        } else {
            out.writeByte(0).writeInt(meta.partitioner().actors());
        }
        out.writeString(meta.keyField()).writeString(meta.level().name());
        out.writeInt(meta.rf()).writeInt(meta.minIsr());
        out.writeString(meta.onLoss().name()).writeString(meta.durability().name());
        out.writeString(meta.port());
        out.writeInt(meta.options().size());
        meta.options().forEach((name, value) -> out.writeString(name).writeString(value));
    }

    /** Reads the result of {@link #write}; CORRUPT for other bytes. */
    public static TableMeta read(BinaryReader in) {
        try {
            TableName name = new TableName(in.readString());
            long id = in.readLong();
            Partitioner partitioner = partitioner(in);
            String keyField = in.readString();
            ConsistencyLevel level = ConsistencyLevel.valueOf(in.readString());
            int rf = in.readInt();
            int minIsr = in.readInt();
            OnLoss onLoss = OnLoss.valueOf(in.readString());
            Durability durability = Durability.valueOf(in.readString());
            String port = in.readString();
            Map<String, String> options = new TreeMap<>();
            for (int left = in.readCount(8); left > 0; left--) {
                options.put(in.readString(), in.readString());
            }
            if (id < 0 || options.size() > Limits.TABLE_OPTIONS_MAX) {
                throw corrupt("table number " + id + " with " + options.size() + " options");
            }
            return new TableMeta(name, id, partitioner, keyField, level, rf, minIsr, onLoss, durability, port, options);
        } catch (IllegalArgumentException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "table definition: unknown level or policy", e);
        } catch (UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "table definition: " + e.reason(), e);
        }
    }

    private static Partitioner partitioner(BinaryReader in) {
        int kind = in.readByte();
        if (kind == 0) {
            return new Partitioner.Hash(in.readInt());
        }
        if (kind == 2) {
            return time(in);
        }
        if (kind != 1) {
            throw corrupt("partitioner of kind " + kind);
        }
        List<Long> bounds = new ArrayList<>();
        for (int left = in.readCount(8); left > 0; left--) {
            bounds.add(in.readLong());
        }
        return new Partitioner.Range(bounds);
    }

    private static Partitioner time(BinaryReader in) {
        String column = in.readString();
        IsoPeriod chunk = IsoPeriod.parse("chunk", in.readString());
        ChunkCalendar chunks = new ChunkCalendar(chunk, ChunkCalendar.parseZone(in.readString()));
        int buckets = in.readInt();
        String retention = in.readString();
        return new Partitioner.Time(
                column,
                chunks,
                buckets,
                retention.isEmpty() ? Optional.empty() : Optional.of(IsoPeriod.parse("retention", retention)),
                IsoPeriod.parse("ahead", in.readString()));
    }

    private static UniserveException corrupt(String what) {
        return new UniserveException(ErrorCode.CORRUPT, "table definition: " + what);
    }
}
