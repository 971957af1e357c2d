package io.uniserve.runtime.engine;

import io.uniserve.api.Document;
import io.uniserve.api.extra.MutableOptions;
import io.uniserve.codec.Bytes;
import io.uniserve.codec.Sha256;
import io.uniserve.model.registry.TableMeta;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Codec of an actor's {@link MutableOptions} in rows, in its checkpoints and in its digest. */
final class MutableOptionsFile {
    private MutableOptionsFile() {}

    /** Returns the definition with the options of an update's last row. Fails with INVALID_ROW if it cannot be read. */
    static TableMeta withOptions(TableMeta meta, Bytes rows) {
        TableMeta next = meta;
        for (Document row : DecodedRowBatch.documents(rows)) {
            next = MutableOptions.withMutableOptions(meta, row);
        }
        return next;
    }

    /** Adds the options to the files of an engine. */
    static void writeTo(TableMeta meta, Path written) throws IOException {
        if (MutableOptions.hasMutableOptions(meta)) {
            Files.write(
                    written.resolve(MutableOptions.FILE),
                    MutableOptions.toBytes(meta).toArray());
        }
    }

    /**
     * Returns the definition with the options of a checkpoint, and deletes their file: all other files of the directory belong to the
     * engine.
     */
    static TableMeta readAndDelete(TableMeta meta, Path laidOut) throws IOException {
        Path file = laidOut.resolve(MutableOptions.FILE);
        if (!Files.exists(file)) {
            return MutableOptions.withoutMutableOptions(meta);
        }
        TableMeta changed = MutableOptions.fromBytes(meta, Bytes.wrap(Files.readAllBytes(file)));
        Files.delete(file);
        return changed;
    }

    /** Digest of contents and options. Options are part of it, as replicas with different options treat the next row differently. */
    static Bytes digest(TableMeta meta, byte[] contents) {
        Bytes bytes = Bytes.wrap(contents);
        return MutableOptions.hasMutableOptions(meta)
                ? Bytes.utf8(Sha256.hex(bytes) + Sha256.hex(MutableOptions.toBytes(meta)))
                : bytes;
    }
}
