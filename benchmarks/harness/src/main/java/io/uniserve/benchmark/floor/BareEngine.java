package io.uniserve.benchmark.floor;

import io.uniserve.api.Document;
import java.util.List;

/**
 * Engine with one table, behind a {@link BareEngineService} and without Uniserve. Updates come from one thread; reads from several, also
 * during updates.
 */
public interface BareEngine extends AutoCloseable {
    /** Name and version, for the output. */
    String name();

    /** Stores documents in place of those with their keys. */
    void put(List<Document> rows) throws Exception;

    /** Sets the fields of the row in the document with its key, which keeps its other fields. */
    void set(Document row) throws Exception;

    /** Deletes the documents with these keys. */
    void delete(List<Document> rows) throws Exception;

    /** Makes the updates so far visible to readers. */
    void publish() throws Exception;

    /** Returns the document with this key, none or one. No fields: all of them. */
    List<Document> read(String key, List<String> fields) throws Exception;

    /** Returns the first documents at or after this key, in key order. No fields: all of them. */
    List<Document> scan(String from, int limit, List<String> fields) throws Exception;

    /** Returns true if {@link #read} is fast enough for a transport's thread. */
    boolean readsInline();

    @Override
    void close() throws Exception;
}
