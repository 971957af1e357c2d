package io.uniserve.runtime.transport;

import java.util.Optional;

/**
 * Identity of a caller.
 *
 * @param address the remote address as text
 * @param principal the subject of its certificate, if it presented one
 */
public record CallerIdentity(String address, Optional<String> principal) {}
