package io.uniserve.port.druid.runtime;

import io.uniserve.error.PrintableText;
import io.uniserve.error.UniserveException;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainer;
import org.apache.druid.query.lookup.LookupExtractorFactoryContainerProvider;

/**
 * Lookups of the query that the current thread runs. Druid resolves lookups by name from one provider for all queries, but each table has
 * its own lookups. Planner and operators run Druid on one thread per call, so the provider reads the lookups of the thread.
 *
 * <p>Thread-safe. Outside of a scope there are no lookups.
 */
public final class LookupScope implements LookupExtractorFactoryContainerProvider {
    private final ThreadLocal<Map<String, LookupExtractorFactoryContainer>> current = ThreadLocal.withInitial(Map::of);

    LookupScope() {}

    /** Runs work with these lookups by name. */
    public <T> T call(Map<String, LookupExtractorFactoryContainer> lookups, Callable<T> work) throws Exception {
        Map<String, LookupExtractorFactoryContainer> outer = current.get();
        current.set(lookups);
        try {
            return work.call();
        } finally {
            current.set(outer);
        }
    }

    @Override
    public Set<String> getAllLookupNames() {
        return current.get().keySet();
    }

    @Override
    public Optional<LookupExtractorFactoryContainer> get(String lookupName) {
        LookupExtractorFactoryContainer lookup = current.get().get(lookupName);
        if (lookup == null) {
            throw UniserveException.invalid("lookup \"" + PrintableText.line(lookupName)
                    + "\" is not defined: use one of the lookups of the query's tables, "
                    + current.get().keySet());
        }
        return Optional.of(lookup);
    }

    @Override
    public String getCanonicalLookupName(String lookupName) {
        return lookupName;
    }
}
