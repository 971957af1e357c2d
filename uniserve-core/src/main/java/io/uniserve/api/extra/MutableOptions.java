package io.uniserve.api.extra;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.Printable;
import io.uniserve.error.UniserveException;
import io.uniserve.model.TableMeta;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Options that a table gets while it lives: those whose names end with {@code .later}. An actor is always made with the
 * others; the later ones reach it as an update of its log, so that each replica takes every row with the options that it had
 * on the primary, also when it replays them. Then the host makes the actor anew from its published files, with these options
 * in the {@link ActorContext}; reads go on meanwhile on what was there. Checkpoints carry them. A port need only say what may
 * change, by {@link Engine#validateChange}.
 */
public final class MutableOptions {
    /** The update function, one that every eventual table has. Its row is a document of options, see {@link #row}. */
    public static final String FUNCTION = "uniserve.options@1";

    /** The file of {@link #toBytes} in a checkpoint; engines do not see it. */
    public static final String FILE = "uniserve.options";

    private static final String SUFFIX = ".later";

    private MutableOptions() {}

    /** The name under which an option changes. */
    public static String of(String option) {
        return option + SUFFIX;
    }

    /** The definition with which an actor is made. */
    public static TableMeta created(TableMeta meta) {
        Map<String, String> options = new HashMap<>(meta.options());
        options.keySet().removeIf(name -> name.endsWith(SUFFIX));
        return meta.with(options);
    }

    /** The definition with later options of this row in place of its own; INVALID_ROW where one is no text. */
    public static TableMeta changed(TableMeta meta, Document row) {
        Map<String, String> options = new HashMap<>(created(meta).options());
        row.fields().keySet().stream()
                .filter(name -> name.endsWith(SUFFIX))
                .forEach(name -> options.put(name, text(row, name)));
        return meta.with(options);
    }

    private static String text(Document row, String name) {
        if (row.fields().get(name) instanceof String text && !text.isEmpty()) {
            return text;
        }
        throw new UniserveException(
                ErrorCode.INVALID_ROW,
                Printable.line("document's field \"" + name + "\" is " + row.fields().get(name) + "; give it a text"));
    }

    /** The row that brings an actor this definition's later options. */
    public static Document row(TableMeta meta) {
        Map<String, Object> later = new TreeMap<>(meta.options());
        later.keySet().removeIf(name -> !name.endsWith(SUFFIX));
        return new Document(meta.keyField(), new TreeMap<>(later));
    }

    /** Whether the definition has later options. */
    public static boolean any(TableMeta meta) {
        return !row(meta).fields().isEmpty();
    }

    /** The later options, to be kept. */
    public static Bytes toBytes(TableMeta meta) {
        BinaryWriter out = new BinaryWriter();
        Document.CODEC.write(out, row(meta));
        return out.toBytes();
    }

    /** The definition as {@link #changed} by what {@link #toBytes} gave; CORRUPT where it is not that. */
    public static TableMeta fromBytes(TableMeta meta, Bytes bytes) {
        try {
            BinaryReader in = new BinaryReader(bytes);
            Document row = Document.CODEC.read(in);
            in.expectEnd();
            return changed(meta, row);
        } catch (UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "table options cannot be read: " + e.reason(), e);
        }
    }
}
