package io.uniserve.port.druid.query;

import java.util.Map;
import org.apache.druid.client.cache.Cache;
import org.apache.druid.client.cache.CacheStats;
import org.apache.druid.java.util.emitter.service.ServiceEmitter;
import org.jspecify.annotations.Nullable;

/** Cache without contents: Druid's broker asks for one. */
final class NoCache implements Cache {
    @Override
    public byte @Nullable [] get(NamedKey key) {
        return null;
    }

    @Override
    public void put(NamedKey key, byte[] value) {}

    @Override
    public Map<NamedKey, byte[]> getBulk(Iterable<NamedKey> keys) {
        return Map.of();
    }

    @Override
    public void close(String namespace) {}

    @Override
    public CacheStats getStats() {
        return new CacheStats(0, 0, 0, 0, 0, 0, 0);
    }

    @Override
    public boolean isLocal() {
        return true;
    }

    @Override
    public void doMonitor(ServiceEmitter emitter) {}

    @Override
    public void close() {}
}
