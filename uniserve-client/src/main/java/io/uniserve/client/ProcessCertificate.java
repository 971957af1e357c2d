package io.uniserve.client;

import io.uniserve.error.UniserveException;
import io.uniserve.model.Address;
import io.uniserve.model.access.CertificateStatus;
import java.util.Optional;

/**
 * Certificate of one server, or of the leading coordinator.
 *
 * @param process the server's id, or {@code coordinator}
 * @param status state of its certificate; empty if it did not answer
 * @param error error of a process that did not answer
 */
public record ProcessCertificate(
        String process, Address address, Optional<CertificateStatus> status, Optional<UniserveException> error) {}
