package io.uniserve.protocol.backup.format;

import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Actors of a table of which durable storage has a log or a checkpoint. It shows which chunks a TIME table had when its map is lost.
 *
 * @param numbers numbers of the actors, ascending
 */
public record StoredActors(List<Integer> numbers) {
    private static final int FORMAT = 1;
    private static final Pattern OBJECT = Pattern.compile("(0|[1-9]\\d{0,9})/(log|checkpoint)/.+");

    public StoredActors {
        numbers = List.copyOf(numbers);
    }

    /**
     * The actors among the keys of a table's objects.
     *
     * @param keys keys that start with {@link BackupPaths#table}; others are ignored, as are pins
     */
    public static StoredActors among(List<String> keys, String clusterId, long tableId) {
        String prefix = BackupPaths.table(clusterId, tableId);
        TreeSet<Integer> numbers = new TreeSet<>();
        for (String key : keys) {
            Matcher object = OBJECT.matcher(key.startsWith(prefix) ? key.substring(prefix.length()) : "");
            if (object.matches() && Long.parseLong(object.group(1)) <= Integer.MAX_VALUE) {
                numbers.add(Integer.parseInt(object.group(1)));
            }
        }
        return new StoredActors(List.copyOf(numbers));
    }

    /** Encodes the reply to the coordinator. */
    public Bytes encode() {
        BinaryWriter out = new BinaryWriter();
        out.writeInt(FORMAT).writeInt(numbers.size());
        numbers.forEach(out::writeInt);
        return out.toBytes();
    }

    /** Decodes the result of {@link #encode}; CORRUPT for other bytes. */
    public static StoredActors decode(Bytes data) {
        BinaryReader in = new BinaryReader(data);
        int format = in.readInt();
        if (format != FORMAT) {
            throw new UniserveException(
                    ErrorCode.CORRUPT, "stored actors have format " + format + ", this version reads " + FORMAT);
        }
        List<Integer> numbers = new ArrayList<>();
        for (int left = in.readCount(4); left > 0; left--) {
            numbers.add(in.readInt());
        }
        in.expectEnd();
        return new StoredActors(numbers);
    }
}
