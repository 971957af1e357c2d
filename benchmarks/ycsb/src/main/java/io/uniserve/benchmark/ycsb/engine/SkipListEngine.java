package io.uniserve.benchmark.ycsb.engine;

import io.uniserve.api.Document;
import io.uniserve.benchmark.floor.BareEngine;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;

/** Peer of the key-value port: documents by key in the JDK's concurrent ordered map. */
final class SkipListEngine implements BareEngine {
    private final ConcurrentSkipListMap<String, Document> documents = new ConcurrentSkipListMap<>();

    @Override
    public String name() {
        return "ConcurrentSkipListMap of Java " + Runtime.version().feature();
    }

    @Override
    public void put(List<Document> rows) {
        rows.forEach(row -> documents.put(DocumentProjection.key(row), row));
    }

    @Override
    public void set(Document row) {
        documents.computeIfPresent(
                DocumentProjection.key(row), (key, document) -> DocumentProjection.merge(document, row));
    }

    @Override
    public void delete(List<Document> rows) {
        rows.forEach(row -> documents.remove(DocumentProjection.key(row)));
    }

    @Override
    public void publish() {
        // Every change is visible at once.
    }

    @Override
    public List<Document> read(String key, List<String> fields) {
        Document found = documents.get(key);
        return found == null ? List.of() : List.of(DocumentProjection.project(found, fields));
    }

    @Override
    public List<Document> scan(String from, int limit, List<String> fields) {
        return documents.tailMap(from).values().stream()
                .limit(limit)
                .map(document -> DocumentProjection.project(document, fields))
                .toList();
    }

    @Override
    public boolean readsInline() {
        return true;
    }

    @Override
    public void close() {
        documents.clear();
    }
}
