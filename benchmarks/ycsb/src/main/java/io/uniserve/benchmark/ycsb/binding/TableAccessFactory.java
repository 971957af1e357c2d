package io.uniserve.benchmark.ycsb.binding;

import io.uniserve.error.UniserveException;

/** Factory of the access to a port's tables. */
final class TableAccessFactory {
    private TableAccessFactory() {}

    /** Returns the access for a port. Fails with INVALID_ARGUMENT for a port without one. */
    static TableAccess of(String engine) {
        return switch (engine) {
            case "kv" -> new KvTableAccess();
            case "mongodb" -> new MongoTableAccess();
            case "duckdb" -> new DuckTableAccess();
            case "lucene" -> new LuceneTableAccess();
            default ->
                throw UniserveException.invalid("the binding has no access to tables of port " + engine
                        + ": use one of " + String.join(", ", BindingSettings.ENGINES));
        };
    }
}
