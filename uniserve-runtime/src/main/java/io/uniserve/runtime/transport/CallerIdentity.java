package io.uniserve.runtime.transport;

import java.util.Optional;

/**
 * Who calls.
 *
 * @param address the remote address as text
 * @param principal the subject of its certificate, where it showed one
 */
public record CallerIdentity(String address, Optional<String> principal) {}
