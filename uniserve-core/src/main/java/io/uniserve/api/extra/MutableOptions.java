package io.uniserve.api.extra;

import io.uniserve.api.Document;
import io.uniserve.codec.BinaryReader;
import io.uniserve.codec.BinaryWriter;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import io.uniserve.model.registry.TableMeta;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Table options that change while the table exists. A changed option is stored under its name with the suffix {@code .later}.
 *
 * <p>A new actor starts with the original options. A change reaches it as an update in its log, so each replica applies every row with the
 * options that the primary had, also during replay. The host then rebuilds the actor from its published files with the new options in
 * {@link io.uniserve.api.ActorContext}; reads continue on the old actor meanwhile. Checkpoints contain the options. A port only decides, in
 * {@link io.uniserve.api.Engine#validateChange}, which changes are allowed. Stateless.
 *
 * <pre>{@code
 * String words = context.meta().options().getOrDefault(MutableOptions.of("words"), context.meta().options().get("words"));
 * }</pre>
 */
public final class MutableOptions {
    /** Update function of every eventual table that changes options. Its row is a document of options; see {@link #toRow}. */
    public static final String FUNCTION = "uniserve.options@1";

    /** File in a checkpoint with the result of {@link #toBytes}; engines do not see it. */
    public static final String FILE = "uniserve.options";

    private static final String SUFFIX = ".later";

    private MutableOptions() {}

    /** The name of a changed option. */
    public static String mutableName(String option) {
        return option + SUFFIX;
    }

    /** Returns the definition without changed options, as for a new actor. */
    public static TableMeta withoutMutableOptions(TableMeta meta) {
        Map<String, String> options = new HashMap<>(meta.options());
        options.keySet().removeIf(name -> name.endsWith(SUFFIX));
        return meta.with(options);
    }

    /**
     * Returns the definition with the changed options of this row in place of all earlier ones.
     *
     * @throws UniserveException INVALID_ROW if a value is not a text
     */
    public static TableMeta withMutableOptions(TableMeta meta, Document row) {
        Map<String, String> options = new HashMap<>(withoutMutableOptions(meta).options());
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
                PrintableText.line(
                        "document's field \"" + name + "\" is " + row.fields().get(name) + "; give it a text"));
    }

    /** Returns the row that applies the definition's changed options to an actor. */
    public static Document toRow(TableMeta meta) {
        Map<String, Object> later = new TreeMap<>(meta.options());
        later.keySet().removeIf(name -> !name.endsWith(SUFFIX));
        return new Document(meta.keyField(), new TreeMap<>(later));
    }

    /** Returns whether the definition has changed options. */
    public static boolean hasMutableOptions(TableMeta meta) {
        return !toRow(meta).fields().isEmpty();
    }

    /** Encodes the changed options for a checkpoint. */
    public static Bytes toBytes(TableMeta meta) {
        BinaryWriter out = new BinaryWriter();
        Document.CODEC.write(out, toRow(meta));
        return out.toBytes();
    }

    /**
     * Returns the definition with the options encoded by {@link #toBytes}.
     *
     * @throws UniserveException CORRUPT for other bytes
     */
    public static TableMeta fromBytes(TableMeta meta, Bytes bytes) {
        try {
            BinaryReader in = new BinaryReader(bytes);
            Document row = Document.CODEC.read(in);
            in.expectEnd();
            return withMutableOptions(meta, row);
        } catch (UniserveException e) {
            throw new UniserveException(ErrorCode.CORRUPT, "table options cannot be read: " + e.reason(), e);
        }
    }
}
