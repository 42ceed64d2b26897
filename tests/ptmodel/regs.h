/* SPDX-License-Identifier: MIT */
/*
 * Registers and table entries of Intel PT as the SDM names them.
 *
 * Written from the SDM for the model alone. PTM_ keeps the names apart from
 * those of a kernel that a unit test links beside it.
 */
#ifndef TESTS_PTMODEL_REGS_H
#define TESTS_PTMODEL_REGS_H

#define PTM_BIT(n)			(1ULL << (n))

#define PTM_MSR_PERF_GLOBAL_STATUS	0x38e
#define PTM_MSR_PERF_GLOBAL_STATUS_RST	0x390
#define PTM_MSR_RTIT_OUTPUT_BASE	0x560
#define PTM_MSR_RTIT_OUTPUT_MASK_PTRS	0x561
#define PTM_MSR_RTIT_CTL		0x570
#define PTM_MSR_RTIT_STATUS		0x571
#define PTM_MSR_RTIT_CR3_MATCH		0x572
#define PTM_MSR_RTIT_ADDR0_A		0x580
#define PTM_MSR_RTIT_ADDR3_B		0x587

#define PTM_CTL_TRACEEN			PTM_BIT(0)
#define PTM_CTL_CYCEN			PTM_BIT(1)
#define PTM_CTL_OS			PTM_BIT(2)
#define PTM_CTL_USER			PTM_BIT(3)
#define PTM_CTL_PWREVTEN		PTM_BIT(4)
#define PTM_CTL_FUPONPTW		PTM_BIT(5)
#define PTM_CTL_FABRICEN		PTM_BIT(6)
#define PTM_CTL_CR3FILTER		PTM_BIT(7)
#define PTM_CTL_TOPA			PTM_BIT(8)
#define PTM_CTL_MTCEN			PTM_BIT(9)
#define PTM_CTL_TSCEN			PTM_BIT(10)
#define PTM_CTL_DISRETC			PTM_BIT(11)
#define PTM_CTL_PTWEN			PTM_BIT(12)
#define PTM_CTL_BRANCHEN		PTM_BIT(13)
#define PTM_CTL_MTCFREQ_SHIFT		14
#define PTM_CTL_CYCTHRESH_SHIFT		19
#define PTM_CTL_PSBFREQ_SHIFT		24
#define PTM_CTL_FREQ_MASK		15
#define PTM_CTL_EVENTEN			PTM_BIT(31)
#define PTM_CTL_ADDR0_CFG_SHIFT		32	/* four bits for each range */
#define PTM_CTL_ADDR_CFG_MASK		15
#define PTM_CTL_DISTNT			PTM_BIT(55)
#define PTM_CTL_INJECT_PSB_PMI		PTM_BIT(56)

#define PTM_ADDR_OFF			0
#define PTM_ADDR_FILTER			1
#define PTM_ADDR_TRACESTOP		2
#define PTM_NR_RANGES			4

#define PTM_STATUS_FILTEREN		PTM_BIT(0)
#define PTM_STATUS_CONTEXTEN		PTM_BIT(1)
#define PTM_STATUS_TRIGGEREN		PTM_BIT(2)
#define PTM_STATUS_ERROR		PTM_BIT(4)
#define PTM_STATUS_STOPPED		PTM_BIT(5)
#define PTM_STATUS_PENDPSB		PTM_BIT(6)
#define PTM_STATUS_PENDTOPAPMI		PTM_BIT(7)
#define PTM_STATUS_BYTECNT_SHIFT	32
#define PTM_STATUS_BYTECNT_MAX		0x1ffff

#define PTM_GLOBAL_STATUS_TOPA_PMI	PTM_BIT(55)

#define PTM_TOPA_END			PTM_BIT(0)
#define PTM_TOPA_INT			PTM_BIT(2)
#define PTM_TOPA_STOP			PTM_BIT(4)

/* CPUID.(EAX=14H,ECX=0):EBX and ECX. */
#define PTM_EBX_CR3_FILTER		PTM_BIT(0)
#define PTM_EBX_PSB_CYC			PTM_BIT(1)
#define PTM_EBX_IP_FILTER		PTM_BIT(2)	/* and warm reset */
#define PTM_EBX_MTC			PTM_BIT(3)
#define PTM_EBX_PTWRITE			PTM_BIT(4)
#define PTM_EBX_PWR_EVT			PTM_BIT(5)
#define PTM_EBX_PSB_PMI			PTM_BIT(6)
#define PTM_EBX_EVENT			PTM_BIT(7)
#define PTM_EBX_DISTNT			PTM_BIT(8)
#define PTM_ECX_TOPA			PTM_BIT(0)
#define PTM_ECX_TOPA_MULTI		PTM_BIT(1)
#define PTM_ECX_SINGLE_RANGE		PTM_BIT(2)
#define PTM_ECX_FABRIC			PTM_BIT(3)
#define PTM_ECX_LIP			PTM_BIT(31)

#endif /* TESTS_PTMODEL_REGS_H */
