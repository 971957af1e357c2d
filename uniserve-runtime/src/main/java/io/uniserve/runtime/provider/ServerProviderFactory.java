package io.uniserve.runtime.provider;

import io.uniserve.error.UniserveException;
import java.util.Map;

/**
 * Kind of provider outside of this jar, found by {@link java.util.ServiceLoader}. Its jars are in a folder of their own, so that only
 * coordinators that name it load them.
 */
public interface ServerProviderFactory {
    /** Value of {@code coordinator.scaling.provider} that names it. */
    String name();

    /**
     * Creates the provider.
     *
     * @param options settings of the section {@code coordinator.scaling.NAME}; lists are joined by commas
     * @throws UniserveException INVALID_CONFIGURATION with the wrong setting and the permitted values
     */
    BlockingServerProvider create(Map<String, String> options);
}
