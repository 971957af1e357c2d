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
 * Lookups of the query that the current thread works for. Druid resolves lookups by name from objects that it shares between queries, and
 * each table has lookups of its own. Planner and operators run Druid on one thread per call, so the scope follows the thread.
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
                    + "\" is not defined; the query has " + current.get().keySet());
        }
        return Optional.of(lookup);
    }

    @Override
    public String getCanonicalLookupName(String lookupName) {
        return lookupName;
    }
}
