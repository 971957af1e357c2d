package io.uniserve.port.druid.runtime;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.databind.cfg.MapperConfig;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.NopAnnotationIntrospector;
import java.util.Map;

/**
 * Keeps values that the port injects, such as the setting of JavaScript, from being replaced by the input: Jackson takes a field with an
 * empty name for them (CVE-2021-25646). Such a field is ignored, except in maps. Stateless.
 */
final class InjectedValueGuard extends NopAnnotationIntrospector {
    private static final long serialVersionUID = 1;

    @Override
    public JsonIgnoreProperties.Value findPropertyIgnoralByName(MapperConfig<?> config, Annotated of) {
        return Map.class.isAssignableFrom(of.getRawType())
                ? JsonIgnoreProperties.Value.empty()
                : JsonIgnoreProperties.Value.forIgnoredProperties("");
    }
}
